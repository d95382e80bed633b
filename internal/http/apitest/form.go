package apitest

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"testing"
)

// File is a file in a form.
type File struct{ Part, Name, Body string }

// MultipartForm returns a form with fields and, unless it is nil, a file.
func MultipartForm(t testing.TB, fields map[string]string, file *File) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if file != nil {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + file.Part + `"; filename="` + file.Name + `"`}}
		p, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte(file.Body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}
