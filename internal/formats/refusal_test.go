package formats

import (
	"os"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// refusals are documents that are refused, by what the refusal begins with; docs/formats.md lists
// them.
var refusals = map[string]string{
	"The document is empty":                                              "",
	"The document has only white space":                                  " \n",
	"The document has no text that can be read.":                         "<html><script>melt()</script>",
	"The document has a NUL byte":                                        "It\x00melts",
	"The document is not valid UTF-8":                                    "It melts caf\xe9",
	"The document seems to be encoded in UTF-16, and is not":             "\xff\xfe" + strings.Repeat("\x00\xd8", 9),
	"The page is not valid UTF-8":                                        "<html><p>caf\xe9",
	"The document is a Word document (docx) of which the end is missing": archive(map[string]string{docxBody: "<document/>"})[:60] + "\xff",
	"The document is application/":                                       "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00", 8) + "\x02\x00\x3e\x00\x01\x00\x00\x00",
	"The document is encrypted":                                          compound(map[string]string{"EncryptedPackage": "x", "EncryptionInfo": "y"}),
	"The PDF is encrypted": written([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>",
		"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + strings.Repeat("41", 32) + "> /U <" + strings.Repeat("42", 32) + "> >>",
	}, "/Encrypt 3 0 R /ID [<01> <01>]"),
	"The PDF is broken":                               "%PDF-1.4\nIt melts",
	"The e-mail cannot be read":                       "From: a@b\nDate: x\n" + strings.Repeat("X-Ice: melts\n", 100_000) + "\nIt melts\n",
	"The mailbox has more than 10000 messages":        strings.Repeat("From a Sat\nFrom: a@b\nDate: x\n\na\n\n", maxMessages+1),
	"The XML cannot be read":                          "<?xml version='1.0' encoding='none-such'?><a>b</a>",
	"The document nests its elements deeper than 200": "<?xml version='1.0'?>" + strings.Repeat("<a>", 300),
}

// TestRefusals has the true reason for each, as the page for users says.
func TestRefusals(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## What is refused")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := map[string]bool{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "`"); len(cells) > 2 && strings.HasPrefix(line, "| `") {
			listed[cells[1]] = true
		}
	}
	for says := range refusals {
		if !listed[says] {
			t.Errorf("docs/formats.md does not list %q", says)
		}
	}
	for says := range listed {
		if body, known := refusals[says]; !known {
			t.Errorf("no document is refused with %q", says)
		} else if !strings.Contains(says, "PDF") {
			refusedWith(t, NewReader(), body, says)
		}
	}
}

// TestRefusalsOfPDF_Slow compiles PDFium first.
func TestRefusalsOfPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for says, body := range refusals {
		if strings.Contains(says, "PDF") {
			refusedWith(t, shared, body, says)
		}
	}
}

// refusedWith reads a document that is refused, when it is submitted or later.
func refusedWith(t *testing.T, r *Reader, body, says string) {
	t.Helper()
	format, err := r.Recognise([]byte(body), "a.eml", "")
	if err == nil {
		_, err = r.Text(t.Context(), []byte(body), format)
	}
	if !strings.HasPrefix(kappa.ErrorMessage(err), says) {
		t.Errorf("got %v, want %q", err, says)
	}
}
