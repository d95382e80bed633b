package ingestion

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// FuzzBodies sends any bytes as documents (Q49).
func FuzzBodies(f *testing.F) { newStrict(f).Bodies(f, 2) }

// FuzzForm reads whatever arrives as a form as a submission, which is refused with a
// reason or complete.
func FuzzForm(f *testing.F) {
	f.Add("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\ntext\r\n--b--\r\n", "multipart/form-data; boundary=b")
	f.Add("text=a%20b&ontology=%zz&=&&x", http.URLEncodedType)
	f.Fuzz(func(t *testing.T, body, contentType string) {
		form, err := http.ReadForm(strings.NewReader(body), contentType, http.FormLimits{Document: "file", Bytes: 100, Size: int64(len(body))})
		if err != nil {
			return // see FuzzForm of the router
		}
		if _, err := submission(form, upload{part: "file"}); err != nil && kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("submission: %v", err)
		}
	})
}
