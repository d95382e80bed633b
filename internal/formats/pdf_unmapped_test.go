package formats

import (
	"strings"
	"testing"
)

func TestUnmapped(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		want bool
	}{
		"nothing":                       {"", false},
		"a text":                        {"A glacier is a river of ice.\r\nIt moves slowly.\r\n", false},
		"Arabic with marks of its own":  {"\u202bהמילה שלום\u202c العَرَبِيَّة", false},
		"hyphens that PDFium marks":     {strings.Repeat("\u0002\r\n", 20), false},
		"numbers of shapes":             {"\x01\x04\x05\x06\a\r\n\b\x04\t\x06\n\r\n\v\b\x06\f\r\x04\x0e\x0f\x10\x11", true},
		"private characters":            {strings.Repeat("\ue0e0\uf0b7 ", 10), true},
		"characters that are unknown":   {strings.Repeat("\uFFFD", 10), true},
		"bullets of a list":             {strings.Repeat("\uf0b7 ice and snow\r\n", 20), false},
		"a few signs and nothing else":  {"\uf0b7\uf0b7\uf0b7", false},
		"shapes, and letters by chance": {"?@''\x14\x10/\r\n" + strings.Repeat("\x11\x12\x13 ab", 8), true},
		"most of it are words":          {strings.Repeat("\x11\x12\x13 glacier", 8), false},
	} {
		if got := unmapped(c.page); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
