//go:build linux && !amd64 && !arm64

package walls

import "errors"

func filterCalls(Config) error {
	return errors.New("this program does not know the calls of this processor")
}
