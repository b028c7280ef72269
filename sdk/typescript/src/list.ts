// A paged list: `for await` reads all items, `await` reads one page, `page(n)` any page.

import type { Answered } from './transport.ts'
import type { Pagination } from './types.ts'

export type Page<T> = Answered<{ items: T[]; pagination: Pagination }>

type Read<T> = (page: { page: number | undefined; limit: number | undefined }) => Promise<Page<T>>

export const pageLimit = 100

export class List<T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
  readonly #read: Read<T>
  readonly #query: { page?: number | undefined; limit?: number | undefined }

  constructor(query: { page?: number | undefined; limit?: number | undefined }, read: Read<T>) {
    this.#query = query
    this.#read = read
  }

  /** Reads one page: the page of the query unless another one is named. */
  page(page = this.#query.page): Promise<Page<T>> {
    return this.#read({ page, limit: this.#query.limit })
  }

  /** Lets `await` read one page. */
  // oxlint-disable-next-line unicorn/no-thenable -- as in other payment libraries, `await client.deposits.list()` is a page
  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.page().then(onPage, onError)
  }

  /** Reads every item, from the page of the query on. Skips an item that was on the page before, as after a new item. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let before = new Set<unknown>()
    for (let page = this.#query.page ?? 1; ; page += 1) {
      const { items, pagination } = await this.#read({ page, limit: this.#query.limit ?? pageLimit })
      const idOf = (item: T): unknown => (item as { id?: unknown }).id
      for (const item of items) if (idOf(item) === undefined || !before.has(idOf(item))) yield item
      if (!pagination.hasNext || items.length === 0) return
      before = new Set(items.map(idOf))
    }
  }

  /** Reads all items into an array. */
  async all(): Promise<T[]> {
    const items: T[] = []
    for await (const item of this) items.push(item)
    return items
  }
}
