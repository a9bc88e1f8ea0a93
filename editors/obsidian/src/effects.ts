/** What changes in an editor when a note was checked. */

import { StateEffect } from "@codemirror/state";
import type { Badge, Problem } from "./protocol";

export const showProblems = StateEffect.define<Problem[]>();
export const showBadges = StateEffect.define<Badge[]>();
