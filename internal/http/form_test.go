package http

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

// FuzzForm checks that whatever arrives as a form is read or refused with a
// reason, within its limits.
func FuzzForm(f *testing.F) {
	f.Add("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\ntext\r\n--b--\r\n", "multipart/form-data; boundary=b")
	f.Add("text=a%20b&ontology=%zz&=&&x", URLEncodedType)
	f.Add("--b\r\n\r\n--b--", "multipart/form-data; boundary=\"b\"")
	f.Add("{}", "application/json")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		limits := FormLimits{Document: "file", Bytes: 100, Size: int64(len(body))}
		got, err := ReadForm(strings.NewReader(body), contentType, limits)
		if err != nil {
			if kappa.ErrorCode(err) == kappa.CodeInternal {
				t.Fatalf("%v says nothing to the caller", err)
			}
			return
		}
		if len(got.fields) > maxFormParts || got.Document != nil && len(got.Document.Body) > 100 {
			t.Errorf("the form %+v is over its limits", got)
		}
	})
}
