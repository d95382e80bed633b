package http

import (
	"net"
	"testing"
)

func TestHostElsewhere(t *testing.T) {
	public := &net.TCPAddr{IP: net.IPv4zero, Port: 8000}
	for _, tt := range []struct {
		names []string
		host  string
		good  bool
	}{
		{nil, "anything.example", true},
		{[]string{"kappa.example.org"}, "kappa.example.org", true},
		{[]string{"kappa.example.org"}, "10.0.0.1:8000", true}, // of a probe
		{[]string{"kappa.example.org"}, "localhost", true},
		{[]string{"kappa.example.org"}, "evil.example", false},
		{[]string{"*"}, "evil.example", true},
	} {
		h := newHosts(tt.names)
		h.listenOn(public)
		if got := h.allow(tt.host); got != tt.good {
			t.Errorf("names %q, host %q: %t, want %t", tt.names, tt.host, got, tt.good)
		}
	}
}
