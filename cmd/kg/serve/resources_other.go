//go:build !linux

package serve

import "github.com/kappagraph/kappa/work"

// machineResources does not say how busy a machine of this kind is.
func machineResources(string) *work.Resources { return nil }
