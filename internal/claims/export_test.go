package claims

import "context"

// IsCleaning reports whether a request deletes what a claim has created, and belongs to no statement.
func IsCleaning(ctx context.Context) bool { return ctx.Value(cleaning{}) != nil }
