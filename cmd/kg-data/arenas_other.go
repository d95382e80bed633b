//go:build cgo && !linux

package main

func fewArenas() {}
