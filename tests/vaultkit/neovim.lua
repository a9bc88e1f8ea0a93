-- A session in a real editor: what is typed, and what is seen. It writes what it sees as JSON.
-- nvim --headless --clean -l or -c "luafile neovim.lua", with the session in environment variables.
local root, note, python = vim.env.VAULT, vim.env.NOTE, vim.env.PYTHON
local seen = { session = {} }

-- What was typed, and what was seen then, for those who read it.
local function say(...)
  for _, text in ipairs({ ... }) do
    for _, row in ipairs(vim.split(text, "\n")) do table.insert(seen.session, row) end
  end
end

local function say_problems()
  local found = vim.diagnostic.get(0)
  for _, one in ipairs(found) do say("[" .. one.code .. "] " .. one.message) end
  if #found == 0 then say("(nothing is wrong)") end
end

local function wait(what, holds)
  if not vim.wait(120000, holds, 20) then
    error("waited in vain: " .. what .. "\n" .. vim.inspect(vim.diagnostic.get()))
  end
end

local function diagnostics()
  return vim.tbl_map(function(one)
    return { line = one.lnum + 1, message = one.message, code = one.code }
  end, vim.diagnostic.get(0))
end

local function ask(method, params)
  local answer = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, one in pairs(answer or {}) do
    if one.error then error(vim.inspect(one.error)) end
    return one.result
  end
end

local function session()
  vim.cmd("edit " .. vim.fn.fnameescape(note))
  say("$ nvim docs/" .. vim.fn.fnamemodify(note, ":t"))
  local client = vim.lsp.start_client({
    name = "vaultkit",
    cmd = { python, "-m", "vaultkit", "lsp" },
    cmd_cwd = root,
    root_dir = root,
  })
  vim.lsp.buf_attach_client(0, client)
  wait("the server", function()
    local known = vim.lsp.get_client_by_id(client)
    return known and known.initialized
  end)

  -- Change an exponent.
  local row = vim.fn.search([[\V]] .. vim.fn.escape(vim.env.OLD, [[\]]), "w")
  local line = vim.fn.getline(row)
  local before = line
  local first, last = line:find(vim.env.OLD, 1, true)
  vim.fn.setline(row, line:sub(1, first - 1) .. vim.env.NEW .. line:sub(last + 1))
  wait("the diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
  seen.diagnostics = diagnostics()
  seen.row = row
  say(":s/" .. vim.env.OLD .. "/" .. vim.env.NEW .. "/")
  say_problems()

  -- Hover.
  vim.fn.cursor(row, first)
  local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
  seen.hover = hover.contents.value
  say(":lua vim.lsp.buf.hover()", hover.contents.value)

  -- Undo: it goes.
  vim.cmd("undo")
  seen.undone = vim.fn.getline(row) == before
  wait("no diagnostic", function() return #vim.diagnostic.get(0) == 0 end)
  say(":undo")
  say_problems()

  -- Ask for the output that is missing.
  local fence = vim.fn.search([[^```text]], "w")
  local output = vim.fn.getline(fence + 1)
  local closing = vim.fn.search([[^```$]], "nW")
  local opening = vim.fn.search([[^```python]], "bnW")
  vim.fn.deletebufline("%", fence, closing)
  say("/```text", "d/^```$/e")
  wait("the missing output", function() return #vim.diagnostic.get(0) > 0 end)
  say_problems()
  vim.fn.cursor(vim.diagnostic.get(0)[1].lnum + 1, 1)
  seen.missing = vim.diagnostic.get(0)[1].lnum + 1 > opening
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {} }
  for _, action in ipairs(ask("textDocument/codeAction", params)) do
    if action.title == "Write this output" then
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      say(":lua vim.lsp.buf.code_action()", action.title)
    end
  end
  local written = vim.fn.search([[^```text]], "w")
  seen.output = { vim.fn.getline(written + 1), output }
  say(unpack(vim.fn.getline(written, vim.fn.search([[^```$]], "nW"))))
  wait("the output to hold", function() return #vim.diagnostic.get(0) == 0 end)
  say_problems()
  vim.cmd("silent write")

  -- Rename a heading, and write what has changed.
  vim.fn.cursor(vim.fn.search([[\V]] .. vim.env.HEADING, "w"), 5)
  local position = vim.lsp.util.make_position_params()
  position.newName = vim.env.RENAMED
  local edit = ask("textDocument/rename", position)
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  vim.cmd("silent wall")
  seen.files = #edit.documentChanges
  say("/" .. vim.env.HEADING, ':lua vim.lsp.buf.rename("' .. vim.env.RENAMED .. '")', ":wall")
  say(vim.fn.getline("."))

  vim.lsp.stop_client(client)
  wait("its end", function() return vim.lsp.get_client_by_id(client) == nil end)
end

local fine, problem = pcall(session)
if not fine then seen.problem = tostring(problem) end
local file = assert(io.open(vim.env.SEEN, "w"))
file:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
file:close()
vim.cmd("qall!")
