import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleUserRound, Languages, LogOut, UserCog } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { forgetAnswers, logOut, noteSession } from '@/api/session'
import { useUser } from '@/entities/session/session'
import { word } from '@/entities/states/words'
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES } from '@/lib/language'
import { Dropdown } from '@/ui/Dropdown'
import classes from './Shell.module.css'

export function UserMenu() {
  const { t, i18n } = useTranslation()
  const user = useUser()
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: logOut,
    onSuccess: async () => {
      noteSession(client, null)
      await navigate({ to: '/login' })
      forgetAnswers(client)
    },
  })

  return (
    <Dropdown
      label={t('shell.userMenu', { name: user.username })}
      trigger={
        <>
          <CircleUserRound size={19} aria-hidden />
          <span className={classes.userName}>{user.username}</span>
        </>
      }
    >
      {(close) => (
        <>
          <p className={classes.group}>
            {user.display_name || user.username} · {word('role', user.role)}
          </p>
          <Link to="/account" className={classes.item} onClick={close}>
            <UserCog size={17} aria-hidden />
            {t('shell.account')}
          </Link>
          {LANGUAGES.filter((language) => language !== i18n.language).map((language) => (
            <button
              key={language}
              type="button"
              lang={language}
              className={classes.item}
              onClick={() => chooseLanguage(language)}
            >
              <Languages size={17} aria-hidden />
              {LANGUAGE_NAMES[language]}
            </button>
          ))}
          <button type="button" className={classes.item} onClick={() => leave.mutate()}>
            <LogOut size={17} aria-hidden />
            {t('shell.logOut')}
          </button>
        </>
      )}
    </Dropdown>
  )
}
