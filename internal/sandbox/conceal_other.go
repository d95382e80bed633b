//go:build !linux

package sandbox

// Conceal does nothing: other systems have no such switch.
func Conceal() error { return nil }

func whileVisible(start func() error) error { return start() }
