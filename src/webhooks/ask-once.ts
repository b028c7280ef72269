// Answers that cost much and may be asked for by many at once. For each key one is being made at a time, and all who ask
// meanwhile get the next one: no caller gets an answer that was begun before it asked, and impatient callers do not fill
// the database's connections.

type Line<T> = { ended: Promise<void>; next: Promise<T> | undefined }

export class AskOnce<T> {
  readonly #lines = new Map<string, Line<T>>()

  ask(key: string, make: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key)
    if (line === undefined) return this.#make(key, make)
    line.next ??= line.ended.then(() => this.#make(key, make))
    return line.next
  }

  #make(key: string, make: () => Promise<T>): Promise<T> {
    const made = make()
    const forget = (): void => {
      if (line.next === undefined) this.#lines.delete(key)
    }
    const line: Line<T> = { ended: made.then(forget, forget), next: undefined }
    this.#lines.set(key, line)
    return made
  }
}
