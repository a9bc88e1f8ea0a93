/* Makes the search worker fetch its index as soon as the search box has the focus. Reports to Material
text that was entered without a key: pasted, dictated, or swiped. Where nothing was found, it names the
pages with similar titles. */
(() => {
  "use strict";

  const opened = "BroadcastChannel" in window && new BroadcastChannel("vaultkit-search");
  document.addEventListener("focusin", ({ target }) => {
    if (opened && target.matches?.(".md-search__input")) opened.postMessage("open");
  });
  document.addEventListener("input", ({ target }) => {
    if (target.matches?.(".md-search__input")) target.dispatchEvent(new Event("keyup"));
  });

  const said = document.querySelector(".md-search-result__meta");
  const { translations } = JSON.parse(document.querySelector("#__config")?.textContent ?? "{}");
  const pairs = (text) => {
    const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    return new Set([...letters].slice(1).map((letter, at) => letters[at] + letter));
  };
  /* The share of pairs of letters that two texts have in common. */
  const alike = (one, other) =>
    2 * [...one].filter((pair) => other.has(pair)).length / (one.size + other.size || 1);
  const link = (href, words) => Object.assign(document.createElement("a"), { href, textContent: words });
  const goOn = () => {
    said.parentElement.querySelector(".vk-nothing")?.remove();
    if (said.textContent !== translations["search.result.none"]) return;
    const asked = pairs(document.querySelector(".md-search__input").value);
    const pages = [...document.querySelectorAll(".md-nav--primary a.md-nav__link[href]:not([href^='#'])")]
      .map((page) => [alike(asked, pairs(page.textContent)), page])
      .filter(([share]) => share > .25).sort(([one], [other]) => other - one).slice(0, 3);
    const ways = document.createElement("p");
    ways.className = "vk-nothing";
    if (pages.length) ways.append("Pages with a similar name: ");
    for (const [, page] of pages) ways.append(link(page.href, page.textContent.trim()), ", ");
    ways.append(pages.length ? "or " : "Try another word, or look at ",
      link(document.querySelector("a.md-logo").href, "the list of all notes"), ".");
    said.after(ways);
  };
  if (said && translations) new MutationObserver(goOn).observe(said, { childList: true });
})();
