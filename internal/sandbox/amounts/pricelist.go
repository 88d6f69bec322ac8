package amounts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Entry is an amount in a user's price list: of a plan in a billing cycle, or of one unit of a price.
type Entry struct {
	Plan     string `json:"plan"`  // id
	Price    string `json:"price"` // id
	Cycle    string `json:"cycle"`
	Currency string `json:"currency"`
	Cents    int64  `json:"cents"`
}

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
		problem := ""
		switch {
		case (e.Plan == "") == (e.Price == ""):
			problem = "must have a plan or a price, and not both"
		case e.Plan != "" && e.Cycle == "":
			problem = "lacks the cycle of the plan, such as monthly"
		case e.Price != "" && e.Cycle != "":
			problem = "must not have a cycle: a price is the amount of one unit in the cycle of its subscription"
		case e.Currency == "":
			problem = "lacks the currency, such as BRL"
		case g.Cents == nil:
			problem = "lacks cents"
		case *g.Cents < 0:
			problem = "has negative cents"
		case seen[e]:
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

// Use adds the entries of a price list. They are used for what the service does not show.
func (b *Book) Use(list []Entry) { b.List = append(b.List, list...) }
