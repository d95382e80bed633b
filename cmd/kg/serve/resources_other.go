//go:build !linux

package serve

import "github.com/kappagraph/kappa"

// machineResources does not say how busy a machine of this kind is.
func machineResources(string) *kappa.Resources { return nil }
