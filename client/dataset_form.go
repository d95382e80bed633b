package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
)

// fileForm is a multipart form with files, which are read while it is sent.
type fileForm struct {
	contentType string
	size        int64
	between     [][]byte // what stands before each file, and after the last
	paths       []string
}

// newFileForm returns the form of a query about files. A nil query is left out.
func newFileForm(query any, files []DatasetFile) (*fileForm, error) {
	f := &fileForm{}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	f.contentType = w.FormDataContentType()
	if query != nil {
		encoded, err := json.Marshal(query)
		if err != nil {
			return nil, fmt.Errorf("encode the query: %w", err)
		}
		if err := w.WriteField("query", string(encoded)); err != nil {
			return nil, fmt.Errorf("encode the form: %w", err)
		}
	}
	cut := func() {
		f.between = append(f.between, bytes.Clone(b.Bytes()))
		f.size += int64(b.Len())
		b.Reset()
	}
	for _, file := range files {
		stat, err := os.Stat(file.Path)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the file
		}
		if !stat.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no file", file.Path)
		}
		if _, err := w.CreateFormFile(file.TableName, filepath.Base(file.Path)); err != nil {
			return nil, fmt.Errorf("encode the form: %w", err)
		}
		cut()
		f.size += stat.Size()
		f.paths = append(f.paths, file.Path)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode the form: %w", err)
	}
	cut()
	return f, nil
}

// open returns the form from its beginning. It can be closed.
func (f *fileForm) open() io.Reader {
	var all []io.Reader
	body := &formBody{}
	for i, path := range f.paths {
		file := &lazyFile{path: path}
		body.files = append(body.files, file)
		all = append(all, bytes.NewReader(f.between[i]), file)
	}
	body.Reader = io.MultiReader(append(all, bytes.NewReader(f.between[len(f.paths)]))...)
	return body
}

// formBody is a form that is being sent.
type formBody struct {
	io.Reader

	files []*lazyFile
}

// Close closes the files.
func (b *formBody) Close() error {
	for _, l := range b.files {
		if l.file != nil {
			_ = l.file.Close() // it was only read, and may be closed already
		}
	}
	return nil
}

// lazyFile is opened at its first byte.
type lazyFile struct {
	path string
	file *os.File
}

// Read reads on.
func (l *lazyFile) Read(b []byte) (int, error) {
	if l.file == nil {
		var err error
		if l.file, err = os.Open(l.path); err != nil {
			return 0, err //nolint:wrapcheck // it names the file
		}
	}
	return l.file.Read(b) //nolint:wrapcheck // io.EOF is the contract
}
