"""The worst that anybody can send, at the largest that is taken: what each reader of it costs."""
