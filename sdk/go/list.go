package manilla

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

const pageLimit = 100

// Page is one page of a list.
type Page[T any] struct {
	Items      []T
	Pagination Pagination
	Meta
}

// List is a paged list: All reads all items, Page reads one page.
type List[T any] struct {
	sender  *sender
	path    []string
	name    string
	query   url.Values
	options []CallOption
}

func newList[T any](s *sender, path []string, name string, query any, options []CallOption) *List[T] {
	return &List[T]{s, path, name, queryOf(query), options}
}

// Page reads one page: the page of the query if number is 0.
func (l *List[T]) Page(ctx context.Context, number int) (*Page[T], error) {
	page, _, err := l.read(ctx, number, 0)
	return page, err
}

func (l *List[T]) read(ctx context.Context, number, limit int) (*Page[T], []string, error) {
	query := maps.Clone(l.query)
	if number > 0 {
		query.Set("page", strconv.Itoa(number))
	}
	if limit > 0 && query.Get("limit") == "" {
		query.Set("limit", strconv.Itoa(limit))
	}
	sent, err := l.sender.send(ctx, ask{method: http.MethodGet, path: l.path, query: query}, l.options)
	if err != nil {
		return nil, nil, err
	}
	var data map[string]json.RawMessage
	var meta struct {
		Pagination Pagination `json:"pagination"`
	}
	page := &Page[T]{Meta: sent.meta}
	var ids []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(sent.envelope.Data, &data); err != nil {
		return nil, nil, unreadable(err, sent.meta, false)
	}
	if raw, ok := data[l.name]; ok {
		if err := json.Unmarshal(raw, &page.Items); err != nil {
			return nil, nil, unreadable(err, sent.meta, false)
		}
		_ = json.Unmarshal(raw, &ids)
	}
	if len(sent.envelope.Meta) > 0 {
		_ = json.Unmarshal(sent.envelope.Meta, &meta)
	}
	page.Pagination = meta.Pagination
	names := make([]string, len(page.Items))
	for at := range names {
		if at < len(ids) {
			names[at] = ids[at].ID
		}
	}
	return page, names, nil
}

// All reads every item, from the page of the query on. It skips an item that was on the page before, as after a new item.
func (l *List[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		before := map[string]bool{}
		number, _ := strconv.Atoi(l.query.Get("page"))
		for number = max(number, 1); ; number++ {
			page, ids, err := l.read(ctx, number, pageLimit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			seen := map[string]bool{}
			for at, item := range page.Items {
				if ids[at] != "" {
					seen[ids[at]] = true
				}
				if before[ids[at]] {
					continue
				}
				if !yield(item, nil) {
					return
				}
			}
			if !page.Pagination.HasNext || len(page.Items) == 0 {
				return
			}
			before = seen
		}
	}
}

// queryOf returns the fields of a query that are set, under their JSON names, which are those of the API.
func queryOf(query any) url.Values {
	values := url.Values{}
	text, err := marshal(query)
	if query == nil || err != nil {
		return values
	}
	var fields map[string]any
	if unmarshalExact(text, &fields) != nil {
		return values
	}
	for name, value := range fields {
		switch v := value.(type) {
		case string:
			values.Set(name, v)
		case json.Number:
			values.Set(name, v.String())
		case bool:
			values.Set(name, strconv.FormatBool(v))
		}
	}
	return values
}
