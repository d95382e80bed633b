package client

import "iter"

// pages yields the items of all pages of a list, from the one that the caller began with.
// get returns a page and the cursor of the next one, nil after the last. An error is
// yielded once, and ends it.
func pages[T any](get func(cursor string) ([]T, *string, error), cursor string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			page, next, err := get(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || *next == "" {
				return
			}
			cursor = *next
		}
	}
}
