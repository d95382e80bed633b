package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestAttack tries the kinds that take a second or two.
func TestAttack(t *testing.T) { carryOut(t, "routes,objects,cursors,origins,archives,frames") }

// TestAttack_Slow tries all of them.
func TestAttack_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	carryOut(t, "")
}

// carryOut builds a server, attacks it and wants no hole.
func carryOut(t *testing.T, only string) {
	t.Helper()
	chosen, err := choose(only)
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	holes, err := attack(t.Context(), "", chosen, &printed)
	t.Log("\n" + printed.String())
	if err != nil || holes > 0 {
		t.Errorf("%d holes, %v", holes, err)
	}
}

// TestChoose wants wrong names to be refused.
func TestChoose(t *testing.T) {
	if _, err := choose("routes,none"); err == nil {
		t.Error("a kind that is not there was taken")
	}
	if all, err := choose(""); err != nil || len(all) != len(kinds) {
		t.Errorf("%d of %d kinds, %v", len(all), len(kinds), err)
	}
}
