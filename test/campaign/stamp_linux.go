package main

import (
	"encoding/binary"
	"net"
	"syscall"
	"time"
)

// stampDatagrams has the kernel say when each datagram was sent, so that a busy
// reader does not make it appear late.
func stampDatagrams(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMP, 1)
	})
	if err != nil {
		return err
	}
	return failed
}

// sentAt returns when the kernel took the datagram, or the present time if it
// does not say.
func sentAt(control []byte) time.Time {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return time.Now()
	}
	for _, m := range messages {
		// A timeval of two 64-bit numbers: seconds and microseconds.
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SCM_TIMESTAMP && len(m.Data) >= 16 {
			seconds, micros := binary.NativeEndian.Uint64(m.Data), binary.NativeEndian.Uint64(m.Data[8:])
			return time.Unix(int64(seconds), int64(micros)*1000)
		}
	}
	return time.Now()
}
