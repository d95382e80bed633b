package http

import (
	"testing"
	"time"
)

func TestLimitsHaveDefaults(t *testing.T) {
	l := Limits{}.withDefaults()
	if l.Unconfirmed != DefaultUnconfirmed || l.Body != 30*time.Second {
		t.Errorf("limits %+v", l)
	}
}
