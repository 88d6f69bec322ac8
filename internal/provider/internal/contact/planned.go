package contact

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
)

// Planned is what the plan of a customer says of the data that its billing accounts show and can change too. An account
// that is planned in the same run shows what the customer is about to change as known after apply.
type Planned struct {
	Name           types.String
	Emails, Phones PlannedList[Item]
	Addresses      PlannedList[types.Object]
	NameChanges    bool
	ExternalID     types.String
	DocumentNumber fwtype.Document
}

// PlannedList is a list as it will be.
type PlannedList[T any] struct {
	// Items are the whole list.
	Items []T
	// Known says that no item waits for the apply.
	Known bool
	// Changes says that the plan changes the list.
	Changes bool
	// Owned says that the configuration has the whole list, so that others add nothing to it.
	Owned bool
}

// Has reports whether the list will certainly have such an item.
func (l PlannedList[T]) Has(is func(T) bool) bool { return l.Known && slices.ContainsFunc(l.Items, is) }

// Lacks reports whether the list will certainly have no such item.
func (l PlannedList[T]) Lacks(is func(T) bool) bool {
	return l.Known && !slices.ContainsFunc(l.Items, is)
}

// Created is what the plan of a new customer leaves under its codes.
type Created struct{}

// ByExternalID is the code by which the plan of a new customer is found; empty without one.
func ByExternalID(externalID string) string { return code("external_id", externalID) }

// ByDocument is ByExternalID for a tax number, without its mask.
func ByDocument(number string) string { return code("document_number", number) }

func code(field, value string) string {
	if value == "" {
		return ""
	}
	return field + "=" + value
}
