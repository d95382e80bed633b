package reading

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// TestCompiledFor: an e-mail waits for what reads PDF when it may have one, and not otherwise.
func TestCompiledFor(t *testing.T) {
	const head = "From: a@b.c\nSubject: x\n\n"
	for _, c := range []struct {
		format corpus.ContentType
		body   string
		want   bool
	}{
		{corpus.ContentPDF, "", true},
		{corpus.ContentHTML, "<a href=a.pdf>", false},
		{corpus.ContentEmail, head + "Kafka uses a log. No pdf is here.", false},
		{corpus.ContentEmail, head + "Content-Type: application/pdf\n\nAAAA", true},
		{corpus.ContentEmail, head + "Content-Disposition: attachment; filename=\"Plan.PDF\"\n\nAAAA", true},
		{corpus.ContentEmail, head + "Content-Type: application/octet-stream\n\nJVBERi0xLjQK", true},
		{corpus.ContentEmail, head + "Content-Type: image/png\n\npdfPDF", false},
	} {
		if got := compiledFor([]byte(c.body), c.format); got != c.want {
			t.Errorf("%s %q: %t, want %t", c.format, c.body, got, c.want)
		}
	}
}
