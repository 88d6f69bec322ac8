// Package fwtype holds attribute types whose values can be written in more than one way.
package fwtype

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	_ basetypes.StringTypable                    = DocumentType{}
	_ basetypes.StringValuableWithSemanticEquals = Document{}
)

// DocumentType is the type of a Brazilian tax number (CPF or CNPJ). Numbers that differ only in their mask are equal.
type DocumentType struct{ basetypes.StringType }

// Equal reports whether o is the same type.
func (t DocumentType) Equal(o attr.Type) bool {
	_, ok := o.(DocumentType)
	return ok
}

// String names the type in the framework's messages.
func (t DocumentType) String() string { return "fwtype.DocumentType" }

// ValueType is the value type of the attribute.
func (t DocumentType) ValueType(context.Context) attr.Value { return Document{} }

// ValueFromString wraps a string value.
func (t DocumentType) ValueFromString(_ context.Context, v basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Document{StringValue: v}, nil
}

// ValueFromTerraform reads the wire value.
func (t DocumentType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	s, ok := v.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", v)
	}
	return Document{StringValue: s}, nil
}

// Document is a tax number in configuration, plan or state, mask and all.
type Document struct{ basetypes.StringValue }

// DocumentPointer wraps the number a service answered; nil is null.
func DocumentPointer(number *string) Document {
	return Document{StringValue: basetypes.NewStringPointerValue(number)}
}

// Type is the attribute type of the value.
func (d Document) Type(context.Context) attr.Type { return DocumentType{} }

// Equal compares exactly, mask included.
func (d Document) Equal(o attr.Value) bool {
	other, ok := o.(Document)
	return ok && d.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals compares the digits only.
func (d Document) StringSemanticEquals(_ context.Context, o basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, ok := o.(Document)
	return ok && Digits(d.ValueString()) == Digits(other.ValueString()), nil
}

// Digits drops the mask of a tax number.
func Digits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
}
