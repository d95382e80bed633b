package dataset

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"github.com/kappagraph/kappa/internal/dataset/files"
)

// upload is a file that a user has sent.
type upload struct{ file *files.File }

// source remembers that it could not be read, which is no failure of a dataset.
type source struct {
	io.Reader

	err error
}

// Read reads on.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err //nolint:wrapcheck // io.EOF is the contract
}

// Upload stores a Parquet file for as long as the caller needs it, who then releases it.
// Meanwhile the address stands for it where a URL would. Nobody else can know it. When the
// content cannot be read it returns the error of that.
func (s *Service) Upload(ctx context.Context, content io.Reader) (address string, release func(), err error) {
	if err := s.cfg.Pool.Check(ctx); err != nil {
		return "", nil, s.classify(ctx, err)
	}
	from := &source{Reader: content}
	f, err := s.cfg.Files.Add(ctx, from)
	if from.err != nil {
		return "", nil, from.err
	}
	if err != nil {
		return "", nil, s.classify(ctx, err)
	}
	address = "upload:" + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads[address] = upload{f}
	return address, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.uploads, address)
		f.Close()
	}, nil
}
