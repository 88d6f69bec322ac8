package functions_test

import "testing"

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, number, want, wrong string }{
		{"document_type", "529.982.247-25", "cpf", ""},
		{"document_type", "1", "cpf", ""},
		{"document_type", "52998224725", "cpf", ""},
		{"document_type", "529982247250", "cnpj", ""},
		{"document_type", "11.222.333/0001-81", "cnpj", ""},
		{"document_type", "", "", "contains no digit"},
		{"document_type", "./-", "", "contains no digit"},
		{"normalize_document", "529.982.247-25", "52998224725", ""},
		{"normalize_document", "52998224725", "52998224725", ""},
		{"normalize_document", " 11.222.333/0001-81", "11222333000181", ""},
		{"normalize_document", "529.982.247-26", "", "The check digits are wrong"},
		{"normalize_document", "11.222.333/0001-18", "", "check digits"},
		{"normalize_document", "111.111.111-11", "", "check digits"},
		{"normalize_document", "5299822472", "", "has 10 digits"},
		{"normalize_document", "", "", "has 0 digits"},
		{"normalize_document", "CPF 529.982.247-25", "", "does not have the groups of a CNPJ"},
		{"normalize_document", "12.ABC.345/01DE-35", "12ABC34501DE35", ""},
		{"normalize_document", "12abc34501de35", "12ABC34501DE35", ""},
		{"normalize_document", "12.ABC.345/01DE-36", "", "The check digits are wrong"},
		{"normalize_document", "12.ABC.345/01DE-3A", "", "does not end in two check digits"},
		{"normalize_document", "12.ABC.345/01D-35", "", "but 13 characters instead of 14"},
		{"normalize_document", "529_982_247-25", "", "characters that are not allowed in a CPF or CNPJ"},
		{"document_type", "12.ABC.345/01DE-35", "cnpj", ""},
		{"document_type", "12abc34501de35", "cnpj", ""},
		{"document_type", "ABC", "", "contains no digit"},
		{"document_type", "529.982.247-2X", "", "has letters, like a CNPJ"},
		{"document_type", "1A", "", "has letters, like a CNPJ"},
	} {
		checkText(t, c.name, text(c.number), c.want, c.wrong)
	}
}
