/// SHA-256 (FIPS 180-4) of complete messages, for version hashes.
enum SHA256 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state = SIMD8<UInt32>(
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            constants.withUnsafeBufferPointer { constants in
                message.withUnsafeBytes { bytes in
                    let whole = bytes.count & ~63
                    for start in stride(from: 0, to: whole, by: 64) {
                        let block = UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64])
                        add(block, to: &state, constants, schedule)
                    }
                    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { tail in
                        let end = UnsafeRawBufferPointer(rebasing: bytes[whole...])
                        for start in stride(from: 0, to: finish(tail, end, count: bytes.count), by: 64) {
                            let block = UnsafeRawBufferPointer(rebasing: tail[start..<start + 64])
                            add(block, to: &state, constants, schedule)
                        }
                    }
                }
            }
        }
        return [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
            for index in 0..<8 {
                UnsafeMutableRawBufferPointer(bytes).storeBytes(
                    of: state[index].bigEndian, toByteOffset: index * 4, as: UInt32.self)
            }
            count = 32
        }
    }

    /// Fills the last one or two blocks: the rest of the message, a one bit, zeros, and the length of the message in bits.
    private static func finish(
        _ tail: UnsafeMutableRawBufferPointer, _ end: UnsafeRawBufferPointer, count: Int
    ) -> Int {
        let length = end.count < 56 ? 64 : 128
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        tail.copyMemory(from: end)
        tail[end.count] = 0x80
        tail.storeBytes(of: (UInt64(count) * 8).bigEndian, toByteOffset: length - 8, as: UInt64.self)
        return length
    }

    private static func add(
        _ block: UnsafeRawBufferPointer, to state: inout SIMD8<UInt32>, _ constants: UnsafeBufferPointer<UInt32>,
        _ schedule: UnsafeMutableBufferPointer<UInt32>
    ) {
        for index in 0..<16 {
            schedule[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let w15 = schedule[index - 15]
            let w2 = schedule[index - 2]
            let small0 = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >> 3)
            let small1 = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >> 10)
            schedule[index] = schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        // Eight rounds rotate every variable back to its position, so that no assignments are needed.
        for start in stride(from: 0, to: 64, by: 8) {
            func sum(_ offset: Int) -> UInt32 { constants[start + offset] &+ schedule[start + offset] }
            round(a, b, c, &d, e, f, g, &h, sum(0))
            round(h, a, b, &c, d, e, f, &g, sum(1))
            round(g, h, a, &b, c, d, e, &f, sum(2))
            round(f, g, h, &a, b, c, d, &e, sum(3))
            round(e, f, g, &h, a, b, c, &d, sum(4))
            round(d, e, f, &g, h, a, b, &c, sum(5))
            round(c, d, e, &f, g, h, a, &b, sum(6))
            round(b, c, d, &e, f, g, h, &a, sum(7))
        }
        state &+= SIMD8(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ sum: UInt32
    ) {
        let big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let first = h &+ big1 &+ ((e & f) ^ (~e & g)) &+ sum
        let big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        d &+= first
        h = first &+ big0 &+ ((a & b) ^ (a & c) ^ (b & c))
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ by: UInt32) -> UInt32 { word &>> by | word &<< (32 - by) }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
