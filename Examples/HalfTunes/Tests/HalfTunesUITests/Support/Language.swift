/// What Half Tunes says in a language that it speaks.
struct Language {
    var code: String
    var entry: String
    var row: String
    var download: String
    var pause: String

    static let german = Language(
        code: "de",
        entry: "Titel suchen",
        row: "Blue River von The Ferrymen",
        download: "Laden",
        pause: "Anhalten"
    )
    static let vietnamese = Language(
        code: "vi",
        entry: "Tìm bài hát",
        row: "Blue River – The Ferrymen",
        download: "Tải xuống",
        pause: "Tạm dừng"
    )
}
