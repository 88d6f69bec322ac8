// Package fwtype holds attribute types whose values can be written in more than one way.
package fwtype

import "github.com/recurring-billing/terraform-provider-billing/internal/api/same"

// DocumentType is the type of a Brazilian tax number (CPF or CNPJ). Numbers that differ only in mask or case are equal.
type DocumentType = TextType[taxNumber]

// Document is a tax number in configuration, plan or state, mask and all.
type Document = Text[taxNumber]

// DocumentPointer wraps the number a service returned; nil is null.
func DocumentPointer(number *string) Document { return pointer[taxNumber](number) }

type taxNumber struct{}

func (taxNumber) name() string { return "DocumentType" }

func (taxNumber) same(a, b string) bool { return same.Document(a, b) }
