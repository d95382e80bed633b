//go:build !linux

package main

import (
	"net"
	"time"
)

// stampDatagrams does nothing: only Linux stamps datagrams of unix sockets.
func stampDatagrams(*net.UnixConn) error { return nil }

// sentAt returns the present time.
func sentAt([]byte) time.Time { return time.Now() }
