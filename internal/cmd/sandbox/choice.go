package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// choice is which requests are shown.
type choice struct {
	operation, service, status string
	back                       time.Duration // from now, by the sandbox's clock
	from                       time.Time
}

// statusClasses are what --status accepts in addition to a status.
var statusClasses = []string{"2xx", "3xx", "4xx", "5xx", "failed", "dropped"}

// define defines the flags that choose.
func (c *choice) define(set *flags) {
	set.Func("operation", "only this operation, a `NAME` such as customers.create", c.readOperation)
	set.Func("service", "only this `SERVICE`: billing, finance or collections", c.readService)
	set.Func("status", "only this `STATUS`, such as 404, or one of "+strings.Join(statusClasses, ", "), c.readStatus)
	set.Func("since",
		"only from this `TIME` on the sandbox's clock, such as 2026-01-31T12:00:00Z, or 10m for the last ten minutes",
		c.readSince)
}

func (c *choice) readOperation(value string) error {
	c.operation = value
	var names []string
	for _, o := range sandbox.Operations() {
		names = append(names, o.Name)
	}
	if !slices.Contains(names, value) {
		return errors.New("the sandbox serves no such operation" + meant(value, names))
	}
	return nil
}

func (c *choice) readService(value string) error {
	c.service = value
	services := []sandbox.Service{sandbox.Billing, sandbox.Finance, sandbox.Collections}
	if !slices.Contains(services, sandbox.Service(value)) {
		return errors.New("must be billing, finance or collections")
	}
	return nil
}

func (c *choice) readStatus(value string) error {
	c.status = value
	n, err := strconv.Atoi(value)
	if !slices.Contains(statusClasses, value) && (err != nil || n < 100 || n > 599) {
		return errors.New("must be a status, or one of " + strings.Join(statusClasses, ", "))
	}
	return nil
}

func (c *choice) readSince(value string) (err error) {
	if c.back, err = time.ParseDuration(value); err == nil {
		return nil
	}
	if c.from, err = time.Parse(time.RFC3339, value); err != nil {
		return errors.New("must be a duration such as 10m, or a time such as 2026-01-31T12:00:00Z")
	}
	return nil
}

// begin asks for the sandbox's time, when the choice goes back from it.
func (c *choice) begin(ctx context.Context, control *controller) error {
	if c.back == 0 {
		return nil
	}
	var clock sandbox.ClockState
	if err := control.ask(ctx, http.MethodGet, "/clock", nil, &clock); err != nil {
		return err
	}
	c.from = clock.Now.Add(-c.back)
	return nil
}

// takes reports whether a request is among the chosen. The sandbox has already selected those of the operation.
func (c *choice) takes(r sandbox.Request) bool {
	return (c.service == "" || c.service == string(r.Service)) && !r.Time.Before(c.from) && c.takesStatus(r)
}

func (c *choice) takesStatus(r sandbox.Request) bool {
	class, isClass := strings.CutSuffix(c.status, "xx")
	switch {
	case c.status == "":
		return true
	case c.status == "failed":
		return outcomeOf(r).failed
	case c.status == "dropped" || r.Dropped:
		return r.Dropped && c.status == "dropped"
	case isClass:
		return strconv.Itoa(r.Status/100) == class
	default:
		return strconv.Itoa(r.Status) == c.status
	}
}
