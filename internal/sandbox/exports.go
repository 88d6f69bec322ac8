package sandbox

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/control"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// Types and functions of the internal packages that users of a sandbox need.
type (
	// Service names one of the three services.
	Service = server.Service
	// Tolerance lists the ways in which servers of the wire contract differ.
	Tolerance = server.Tolerance
	// Organization is who a token belongs to.
	Organization = server.Organization
	// Token is a credential of one service.
	Token = server.Token
	// Clock is the sandbox's clock.
	Clock = server.Clock
	// Fault is something that goes wrong with matching requests.
	Fault = server.Fault
	// Request is one line of the request log.
	Request = server.Request
	// SeedError reports why a seed document cannot be used.
	SeedError = control.SeedError

	// DeliveryState is a delivery with every attempt that was made of it.
	DeliveryState = collections.DeliveryState
	// KeyState is an API key as the control listener lists it.
	KeyState = collections.KeyState
	// ClockState is what the control listener says of the clock.
	ClockState = control.ClockState
	// ClockMove is the body of POST /clock.
	ClockMove = control.ClockMove
	// FaultState is a fault in force.
	FaultState = control.FaultState
	// SubscriptionMove is the body of POST /subscriptions/{id}.
	SubscriptionMove = control.SubscriptionMove
	// TokenState is a token as the control listener lists it.
	TokenState = control.TokenState
	// Status is what the running sandbox is.
	Status = control.Status
	// Found is the id of the object that a name refers to.
	Found = control.Found
	// SubscriptionState is a subscription as the control listener lists it.
	SubscriptionState = control.SubscriptionState
	// EventEmission is the body of POST /events.
	EventEmission = control.EventEmission
)

// Loopback reports whether a host, in lower case, is this machine.
func Loopback(host string) bool { return server.Loopback(host) }

// The three services.
const (
	Billing     = server.Billing
	Finance     = server.Finance
	Collections = server.Collections
)

const (
	// FaultSpecHelp says how a fault is written on a command line.
	FaultSpecHelp = server.FaultSpecHelp
	// MaxLag is the longest Fault.Lag.
	MaxLag = server.MaxLag
	// NewOrganizationKeyword as the organization of a token to be made through
	// the control listener makes an organization for it.
	NewOrganizationKeyword = control.NewOrganizationKeyword
	// ExampleCompany is the first company of the example data.
	ExampleCompany = finance.ExampleCompany
	// ExampleSecondCompany is the second one.
	ExampleSecondCompany = finance.ExampleSecondCompany
)

// ForeignKinds returns the kinds of Fault.Foreign, sorted.
func ForeignKinds() []string { return server.ForeignKinds() }

// ToleranceNames returns the names that ParseTolerance knows, sorted.
func ToleranceNames() []string { return server.ToleranceNames() }

// ParseTolerance reads tolerances by their names, separated by commas.
func ParseTolerance(names string) (Tolerance, error) { return server.ParseTolerance(names) }

// Nearest returns the word that another one is a misspelling of, if one is near.
func Nearest(word string, words []string) (string, bool) { return server.Nearest(word, words) }
