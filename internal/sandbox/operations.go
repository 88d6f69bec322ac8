package sandbox

import (
	"cmp"
	"slices"
	"strings"
)

// Operation is one that a service of the sandbox serves.
type Operation struct {
	Service Service
	Name    string // in the wire contract, such as "customers.create"
	Method  string
	Path    string // with placeholders, such as "/v1/customers/{id}"
}

// Operations lists what the services serve, by service, in the order of the
// wire contract.
func Operations() []Operation {
	var all []Operation
	for _, service := range []Service{Billing, Finance, Collections} {
		for _, r := range routesOf(service) {
			all = append(all, Operation{Service: service, Name: r.name, Method: r.method, Path: r.pattern})
		}
	}
	return all
}

// routesOf are the operations of a service.
func routesOf(service Service) []route {
	switch service {
	case Billing:
		return billingRoutes
	case Finance:
		return financeRoutes
	case Collections:
		return collectionsRoutes
	default:
		return nil
	}
}

// operationNamed finds an operation of any service.
func operationNamed(name string) (route, bool) {
	for _, service := range []Service{Billing, Finance, Collections} {
		for _, r := range routesOf(service) {
			if r.name == name {
				return r, true
			}
		}
	}
	return route{}, false
}

// Nearest answers the one of the words that the given one is most likely a
// misspelling of, and whether one is near enough to be: about a third of its
// letters may differ, and one always.
func Nearest(word string, words []string) (string, bool) {
	if len(words) == 0 {
		return "", false
	}
	near := slices.MinFunc(words, func(a, b string) int {
		return cmp.Or(edits(word, a)-edits(word, b), strings.Compare(a, b))
	})
	return near, edits(word, near) <= max(1, (len(near)+1)/3)
}

// edits counts the letters to insert, remove or replace to make b of a
// (the Levenshtein distance), in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // of a[:i], to every b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
