package claims

import "context"

// IsCleaning reports whether a request deletes what a claim has created, and belongs to no statement.
func IsCleaning(ctx context.Context) bool { return ctx.Value(cleaning{}) != nil }

// Members are the members of the kinds that can be read one by one, by the prefix of their operations.
func Members() map[string]string {
	all := map[string]string{}
	for _, k := range kinds {
		if k.needs != nil && k != records { // which have any
			all[k.plural] = k.members
		}
	}
	return all
}
