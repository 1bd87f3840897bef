"""The worst input that anybody can send, at the largest size that is accepted, and the time that reading it takes."""
