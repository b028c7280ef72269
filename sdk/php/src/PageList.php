<?php

declare(strict_types=1);

namespace Manilla;

/** @template-covariant T of array<array-key, mixed> */
final class Page
{
    /**
     * @param list<T> $items
     * @param array<string, mixed> $pagination
     */
    public function __construct(
        public readonly array $items,
        public readonly array $pagination,
        public readonly Meta $lastResponse,
    ) {}
}

/**
 * A paged list: foreach reads all items, page(n) reads one page.
 *
 * @template-covariant T of array<array-key, mixed>
 * @implements \IteratorAggregate<int, T>
 */
final class PageList implements \IteratorAggregate
{
    /** @internal */
    public const LIMIT = 100;

    /**
     * @internal
     * @param list<string> $path
     * @param array<string, mixed> $query
     */
    public function __construct(
        private readonly Sender $sender,
        private readonly array $path,
        private readonly string $name,
        private readonly array $query,
        private readonly ?CallOptions $options,
    ) {}

    /**
     * Reads one page: the page of the query unless another one is named.
     *
     * @return Page<T>
     */
    public function page(?int $page = null): Page
    {
        return $this->read($page === null ? $this->query : [...$this->query, 'page' => $page]);
    }

    /**
     * Reads every item, from the page of the query on. Skips an item that was on the page before, as after a new item.
     *
     * @return \Generator<int, T>
     */
    public function getIterator(): \Generator
    {
        $before = [];
        $limit = $this->query['limit'] ?? self::LIMIT;
        for ($number = (int) ($this->query['page'] ?? 1); ; $number++) {
            $page = $this->read([...$this->query, 'page' => $number, 'limit' => $limit]);
            $seen = [];
            foreach ($page->items as $item) {
                $id = Sender::stringIn($item, 'id');
                if ($id !== null) {
                    $seen[$id] = true;
                }
                if ($id === null || !isset($before[$id])) {
                    yield $item;
                }
            }
            if (($page->pagination['hasNext'] ?? false) !== true || $page->items === []) {
                return;
            }
            $before = $seen;
        }
    }

    /**
     * @param array<string, mixed> $query
     * @return Page<T>
     */
    private function read(array $query): Page
    {
        $found = $this->sender->send(new Ask('GET', $this->path, $query), $this->options);
        $meta = $found->whole['meta'] ?? null;
        $pagination = is_array($meta) ? $meta['pagination'] ?? null : null;
        /** @var array<string, mixed> $pagination */
        $pagination = is_array($pagination) ? $pagination : [];
        $items = $found->data[$this->name] ?? null;
        /** @var list<T> $listed */
        $listed = is_array($items) ? array_values($items) : [];
        return new Page($listed, $pagination, $found->meta);
    }
}
