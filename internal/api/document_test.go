package api

import (
	"strings"
	"testing"
)

func TestPlainDocument(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "529.982.247-25": "52998224725", " 11.222.333/0001-81 ": "11222333000181", "12.ABC.345/01DE-35": "12ABC34501DE35",
		"12abc34501de35": "12ABC34501DE35", "..-/": "", "٣1４": "1", "ſ\u212a": "", "é": "",
	} {
		if have := PlainDocument(in); have != want {
			t.Errorf("PlainDocument(%q) = %q, want %q", in, have, want)
		}
	}
}

// FuzzPlainDocument: what is plain stays as it is, has neither mask nor small letters, and is the same number.
func FuzzPlainDocument(f *testing.F) {
	for _, seed := range []string{"", "529.982.247-25", "12.ABC.345/01DE-35", "12abc34501de35", "٣1４", "ſ\u212a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		plain := PlainDocument(number)
		if PlainDocument(plain) != plain || !SameDocument(plain, number) || strings.Trim(plain, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Errorf("%q becomes %q", number, plain)
		}
	})
}
