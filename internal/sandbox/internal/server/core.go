// Package server handles the requests of the sandbox, and has what every
// service uses.
//
// A service brings its routes: serve.go takes a request through faults,
// authentication, rules and a transaction to the operation, and writes its reply
// as the tolerances say. body.go and rules.go have the rules for bodies, list.go
// and sort.go the listings, errors.go the errors that all services have. core.go
// has what the services share: tables, clock, ids, organizations. A Call carries
// what an operation needs of its request, and not the server.
package server

import (
	"errors"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Core is what all services share: the tables, the clock, ids and the
// organizations.
type Core struct {
	DB     *store.DB
	Clock  *Clock
	Source *Source

	Organizations store.Table[Organization]
	// sequence holds the last number given out, under one name: what is made at
	// the same time still has an order.
	sequence store.Table[int64]
}

const sequenceName = "collections"

// OpenCore opens the state file; empty means memory only. The clock starts at
// start, or is the real one when start is zero.
func OpenCore(stateFile string, start time.Time) (*Core, error) {
	db, err := store.Open(stateFile)
	if err != nil {
		return nil, err
	}
	c := &Core{DB: db, Clock: NewClock(start), Organizations: store.NewTable[Organization](db, "organizations"),
		sequence: store.NewTable[int64](db, "sequence")}
	if err := db.Err(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

// Next returns a number larger than all before it.
func (c *Core) Next(tx *store.Tx) int64 {
	last, _ := c.sequence.Get(tx, sequenceName)
	c.sequence.Put(tx, sequenceName, last+1)
	return last + 1
}
