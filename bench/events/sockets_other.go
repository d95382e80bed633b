//go:build !linux

package main

import (
	"errors"
	"net/netip"
	"time"
)

var errLinuxOnly = errors.New("the event streams can be measured on Linux only")

// poller is for Linux only.
type poller struct{}

func newPoller() (*poller, error) { return nil, errLinuxOnly }

func (*poller) add(int, int) error                         { return errLinuxOnly }
func (*poller) wait(time.Duration, func(int)) error        { return errLinuxOnly }
func (*poller) close()                                     {}
func readSocket(int, []byte) (int, error)                  { return 0, errLinuxOnly }
func closeSocket(int)                                      {}
func raiseFileLimit(int) error                             { return errLinuxOnly }
func dial(netip.Addr, netip.AddrPort, []byte) (int, error) { return 0, errLinuxOnly }
