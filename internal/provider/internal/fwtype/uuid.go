package fwtype

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// UUIDType is the type of an id of the services. UUIDs that differ only in the case of their letters are equal.
type UUIDType = TextType[uuid]

type uuid struct{}

func (uuid) name() string { return "UUIDType" }

func (uuid) same(a, b string) bool { return same.ID(a, b) }

// KeepID prefers the spelling before when both are the same id: what the service returns is not always spelled as it
// was written.
func KeepID(before, now types.String) types.String {
	return text[uuid](now).Or(text[uuid](before)).StringValue
}
