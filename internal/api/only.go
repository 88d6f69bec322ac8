package api

import "iter"

// Only passes on the items of a list that match, and every error. A service may
// ignore a filter, so what was asked for is compared again (wire contract:
// tolerance).
func Only[T any](all iter.Seq2[T, error], matches func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range all {
			if err == nil && !matches(item) {
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
