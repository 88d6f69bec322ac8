package fwtype

import (
	"regexp"
	"strings"
)

// UUIDType is the type of an id of the services. UUIDs that differ only in the case of their letters are equal.
type UUIDType = TextType[uuid]

// UUID is a value of UUIDType.
type UUID = Text[uuid]

// UUIDPointer wraps the id that a service returned; nil is null.
func UUIDPointer(id *string) UUID { return pointer[uuid](id) }

type uuid struct{}

func (uuid) name() string { return "UUIDType" }

func (uuid) same(a, b string) bool { return SameUUID(a, b) }

var uuidText = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// IsUUID reports whether s is a UUID of any version, in letters of either case.
func IsUUID(s string) bool { return uuidText.MatchString(s) }

// SameUUID reports whether a and b are the same id. Only UUIDs compare without case: an external code is compared as it is.
func SameUUID(a, b string) bool {
	return a == b || IsUUID(a) && strings.EqualFold(a, b)
}
