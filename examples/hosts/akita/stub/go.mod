module github.com/sarchlab/akita/v4

go 1.19
