import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection to the server that sends one request after the other.
struct Connection {
    typealias Parts = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let host: String
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
    private var answers: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

    struct Closed: Error {}

    /// Opens a connection, runs `body` and closes it.
    static func with<Value: Sendable>(
        _ host: String, _ port: Int, _ body: @Sendable (inout Connection) async throws -> Value
    ) async throws -> Value {
        let channel: Parts = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Parts(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = Connection(host: host, outbound: outbound, answers: inbound.makeAsyncIterator())
            return try await body(&connection)
        }
    }

    /// Sends a request, waits for the whole response and returns its status.
    mutating func send(_ method: HTTPMethod, _ uri: String, _ text: String? = nil) async throws -> UInt {
        let body = text.map { ByteBuffer(string: $0) }
        let headers: HTTPHeaders = ["Host": host, "Content-Length": "\(body?.readableBytes ?? 0)"]
        try await outbound.write(.head(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)))
        if let body { try await outbound.write(.body(.byteBuffer(body))) }
        try await outbound.write(.end(nil))
        var status: UInt = 0
        while let part = try await answers.next() {
            switch part {
            case .head(let head): status = head.status.code
            case .body: break
            case .end: return status
            }
        }
        throw Closed()
    }
}
