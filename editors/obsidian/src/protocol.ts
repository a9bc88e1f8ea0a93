/** The parts of the language server protocol that are used here. */

import { Text } from "@codemirror/state";

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Problem {
  range: Range;
  message: string;
  /** 1: error, 2: warning, 3: information, 4: not judged. */
  severity: number;
  code: string;
}

/** A verdict or a value, shown behind a place. */
export interface Badge {
  position: Position;
  label: string;
  tooltip?: string;
}

/** A formula of a note, with its verdict if there is one. */
export interface Formula {
  range: Range;
  label: string;
  tooltip: string;
}

export interface TextEdit {
  range: Range;
  newText: string;
}

export interface DocumentEdit {
  textDocument: { uri: string; version: number | null };
  edits: TextEdit[];
}

export type FileOperation = { kind: "create"; uri: string } | { kind: "rename" | "delete" };

export interface Action {
  title: string;
  /** The problems that it repairs. */
  diagnostics?: Problem[];
  edit?: { documentChanges?: (DocumentEdit | FileOperation)[] };
}

/** A block of code, with the command that runs the note up to it. */
export interface Lens {
  range: Range;
  command: { command: string; arguments: unknown[] };
}

/** What the server says about all notes of a folder. */
export interface Status {
  text: string;
  fail: number;
  waiting: number;
}

/** Whether a problem is a failure, which is counted and listed. */
export function fails(problem: Problem): boolean {
  return problem.severity <= 2;
}

export function textOf(text: string): Text {
  return Text.of(text.split(/\r\n?|\n/));
}

export function offsetOf(text: Text, { line, character }: Position): number {
  if (line >= text.lines) {
    return text.length;
  }
  const row = text.line(line + 1);
  return Math.min(row.from + character, row.to);
}

export function positionOf(text: Text, offset: number): Position {
  const row = text.lineAt(offset);
  return { line: row.number - 1, character: offset - row.from };
}

/** Return a text with edits; its line ends stay. */
export function applied(text: string, edits: TextEdit[]): string {
  const starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map((end) => end.index + end[0].length)];
  const at = ({ line, character }: Position) =>
    line < starts.length ? starts[line] + character : text.length;
  const last = [...edits].sort((one, other) => at(other.range.start) - at(one.range.start));
  for (const { range, newText } of last) {
    text = text.slice(0, at(range.start)) + newText + text.slice(at(range.end));
  }
  return text;
}
