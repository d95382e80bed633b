package work

import "github.com/kappagraph/kappa"

// Certificate is one that a server shows to those who connect over TLS.
type Certificate struct {
	Names  []string    `json:"names"`            // of the server, as the certificate has them
	From   string      `json:"from"`             // file or acme
	Until  *kappa.Time `json:"valid_until"`      // null before there is one
	Failed string      `json:"failed,omitempty"` // why a newer one could not be had
}
