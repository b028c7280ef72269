// A change of a text: what stands from `start` to `end` gives way to another text.

export type Edit = { start: number; end: number; text: string }

export function apply(text: string, { start, end, text: replacement }: Edit): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
