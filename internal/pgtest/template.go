package pgtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// Template is a migrated database with what the tests of a package need in it, from which
// theirs are copied: it is filled once, and not by each of them over a connection of its own.
type Template struct {
	prepare func(ctx context.Context, dsn string) error
	once    sync.Once
	name    string
	err     error
}

// NewTemplate returns a template that the first test fills by prepare, which must have closed
// its connections when it returns.
func NewTemplate(prepare func(ctx context.Context, dsn string) error) *Template {
	return &Template{prepare: prepare}
}

// NewDSN is [NewDSN] of a copy of the template.
func (x *Template) NewDSN(t testing.TB) string {
	t.Helper()
	s := started(t)
	x.once.Do(func() { x.err = x.make(context.WithoutCancel(t.Context()), s) })
	if x.err != nil {
		t.Fatalf("pgtest: prepare a template: %v", x.err)
	}
	return newDatabase(t, x.name)
}

// make copies the migrated template and fills the copy, which goes with the cluster.
func (x *Template) make(ctx context.Context, s *shared) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	x.name = s.nextName("prepared")
	if err := s.exec(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", quote(x.name), templateDatabase)); err != nil {
		return err
	}
	return x.prepare(ctx, s.cluster.DSN(x.name))
}
