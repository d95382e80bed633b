package main

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"
)

// poller says which of many sockets have something to read: one thread reads
// thousands of streams, and takes little from the servers on the same machine.
type poller struct {
	epoll  int
	events []syscall.EpollEvent
}

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	return &poller{epoll: fd, events: make([]syscall.EpollEvent, 256)}, err
}

// add watches a socket under a number.
func (p *poller) add(socket, number int) error {
	e := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP, Fd: int32(number)}
	return syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, socket, &e)
}

// wait calls read with the number of each socket that has something, or has
// ended. It returns after one round, or when nothing comes within the time.
func (p *poller) wait(limit time.Duration, read func(number int)) error {
	n, err := syscall.EpollWait(p.epoll, p.events, int(limit.Milliseconds()))
	if errors.Is(err, syscall.EINTR) {
		return nil
	}
	for i := range max(n, 0) {
		read(int(p.events[i].Fd))
	}
	return err
}

func (p *poller) close() { _ = syscall.Close(p.epoll) }

// readSocket reads what is there. Nothing and no error: the stream has ended.
func readSocket(socket int, buffer []byte) (n int, err error) {
	n, err = syscall.Read(socket, buffer)
	if errors.Is(err, syscall.ECONNRESET) {
		return 0, nil
	}
	return n, err
}

func closeSocket(socket int) { _ = syscall.Close(socket) }

// dial connects a socket from a source address, sends a request and returns the
// socket for reading without waiting.
func dial(source netip.Addr, target netip.AddrPort, request []byte) (socket int, err error) {
	socket, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open a socket: %w", err)
	}
	err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: source.As4()})
	if err == nil {
		err = syscall.Connect(socket, &syscall.SockaddrInet4{Addr: target.Addr().As4(), Port: int(target.Port())})
	}
	if err == nil {
		_, err = syscall.Write(socket, request)
	}
	if err == nil {
		err = syscall.SetNonblock(socket, true)
	}
	if err != nil {
		_ = syscall.Close(socket) // of no use
		return 0, fmt.Errorf("connect from %s to %s: %w", source, target, err)
	}
	return socket, nil
}

// raiseFileLimit allows this process and its children as many open files.
func raiseFileLimit(files int) error {
	need := uint64(files)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Cur >= need {
		return nil
	}
	raised := syscall.Rlimit{Cur: need, Max: max(need, limit.Max)}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err != nil {
		return fmt.Errorf("the machine allows %d open files, %d are needed: raise the limit (ulimit -n) or measure less", limit.Max, need)
	}
	return nil
}
