package process

import (
	"os"
	"runtime"
	"time"
)

// EndWithParent ends this process when the one that has started it ends. Terraform ends its providers itself, unless it
// is killed.
func EndWithParent() {
	parent := os.Getppid()
	go func() {
		if awaitEnd(parent) {
			os.Exit(1)
		}
	}()
}

// awaitEnd waits for the end of the parent. It returns false where it cannot.
func awaitEnd(parent int) bool {
	if runtime.GOOS == "windows" { // where the number of the parent stays, and any process can be waited for
		p, err := os.FindProcess(parent)
		if err == nil {
			_, err = p.Wait()
		}
		return err == nil
	}
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	return true
}
