package kappa_test

import (
	"context"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestRequire(t *testing.T) {
	type config struct {
		Store context.Context
		Now   func()
		Log   *int
		Most  int
	}
	panics := func(cfg config, mayBeMissing ...string) (said any) {
		defer func() { said = recover() }()
		kappa.Require(cfg, mayBeMissing...)
		return nil
	}
	if said := panics(config{Store: t.Context(), Log: new(int)}); said != "kappa_test.config.Now is missing" {
		t.Errorf("it says %v", said)
	}
	if said := panics(config{Now: func() {}, Log: new(int)}); said != "kappa_test.config.Store is missing" {
		t.Errorf("it says %v", said)
	}
	if said := panics(config{Store: t.Context(), Now: func() {}}, "Log"); said != nil {
		t.Errorf("what may be missing is not: %v", said)
	}
}
