package amounts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Entry is an amount in a user's price list: of a plan in a billing cycle, or of one unit of a price.
type Entry struct {
	Plan     string `json:"plan"`  // id
	Price    string `json:"price"` // id
	Cycle    string `json:"cycle"`
	Currency string `json:"currency"`
	Cents    int64  `json:"cents"`
}

var cycles = []string{"monthly", "quarterly", "semiannual", "annual"}

// ReadPriceList reads a list of entries in JSON. An error names the entry, counted from 1.
func ReadPriceList(document []byte) ([]Entry, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	var given []struct {
		Entry
		Cents *int64 `json:"cents"`
	}
	if err := decoder.Decode(&given); err != nil {
		return nil, fmt.Errorf("must be a JSON list of objects with plan or price, cycle, currency and cents: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected content after the list")
	}
	all, seen := []Entry{}, map[Entry]bool{}
	for i, g := range given {
		e := g.Entry
		e.Plan, e.Price = strings.ToLower(e.Plan), strings.ToLower(e.Price)
		problem := e.problem(g.Cents)
		if problem == "" && seen[e] {
			problem = "repeats another one"
		}
		if problem != "" {
			return nil, fmt.Errorf("entry %d %s", i+1, problem)
		}
		seen[e] = true
		e.Cents = *g.Cents
		all = append(all, e)
	}
	return all, nil
}

// problem is what is wrong with an entry; empty if nothing is.
func (e Entry) problem(cents *int64) string {
	switch {
	case (e.Plan == "") == (e.Price == ""):
		return "must have a plan or a price, and not both"
	case e.Plan != "" && e.Cycle == "":
		return "lacks the cycle of the plan, such as monthly"
	case e.Price != "" && e.Cycle != "":
		return "must not have a cycle: a price is the amount of one unit in the cycle of its subscription"
	case e.Cycle != "" && !slices.Contains(cycles, e.Cycle):
		return "has the cycle " + strconv.Quote(e.Cycle) + ": use " + strings.Join(cycles, ", ")
	case len(e.Currency) != 3 || strings.ToUpper(e.Currency) != e.Currency:
		return "needs a currency such as BRL"
	case cents == nil:
		return "lacks cents"
	case *cents < 0:
		return "has negative cents"
	case uuid.Validate(e.Plan+e.Price) != nil:
		return "must name the plan or the price by its id, a UUID"
	}
	return ""
}

// Use adds the entries of a price list. They are used for what the service does not show.
func (b *Book) Use(list []Entry) { b.List = append(b.List, list...) }
