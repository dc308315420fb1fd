//! Messages to a browser on this machine: as much of the WebSocket protocol as that takes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub struct Socket(TcpStream);

const CONTINUED: u8 = 0;
const TEXT: u8 = 1;
const PING: u8 = 9;
const PONG: u8 = 10;
/// Clients must mask what they send; nothing on this machine needs the mask to be secret.
const MASK: [u8; 4] = [0x5a, 0x13, 0xc4, 0x77];

impl Socket {
    pub fn connect(port: u16, path: &str, patience: Duration) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the browser listens");
        stream.set_read_timeout(Some(patience)).expect("a time limit");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dWZjbSB0ZXN0cyB1ZmNtIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("the browser reads");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("the browser answers");
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        Self(stream)
    }

    pub fn send(&mut self, text: &str) {
        self.frame(TEXT, text.as_bytes());
    }

    fn frame(&mut self, kind: u8, content: &[u8]) {
        let mut frame = vec![0x80 | kind];
        match content.len() {
            length @ ..126 => frame.push(0x80 | length as u8),
            length @ ..65_536 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend(MASK);
        frame.extend(content.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.0.write_all(&frame).expect("the browser reads");
    }

    /// The next message.
    pub fn receive(&mut self) -> String {
        let mut message = Vec::new();
        loop {
            let [first, second] = self.bytes();
            let length = match second & 0x7f {
                126 => u64::from(u16::from_be_bytes(self.bytes())),
                127 => u64::from_be_bytes(self.bytes()),
                length => u64::from(length),
            };
            let mut content = vec![0; length as usize];
            self.0.read_exact(&mut content).expect("a whole message");
            match first & 0x0f {
                TEXT | CONTINUED => message.extend(content),
                PING => self.frame(PONG, &content),
                kind => panic!("the browser hung up ({kind})"),
            }
            if first & 0x80 != 0 && first & 0x0f != PING {
                return String::from_utf8(message).expect("text");
            }
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).expect("the browser answers in time");
        bytes
    }
}
